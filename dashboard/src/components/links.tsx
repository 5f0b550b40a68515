// Links that look like Mantine's, with the router's types.
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type OfLink<P> = P & Omit<ComponentProps<"a">, keyof P>;

export const AnchorLink = createLink((props: OfLink<AnchorProps>) => <Anchor {...props} />);
export const ButtonLink = createLink((props: OfLink<ButtonProps>) => <Button component="a" {...props} />);
