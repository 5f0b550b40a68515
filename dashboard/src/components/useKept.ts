// State that is still there when one comes back to the page.
import { useState } from "react";
import { keep, readKept } from "@/logic/kept";

export function useKept<T>(key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => readKept<T>(key) ?? initial);
  const set = (next: T) => {
    keep(key, next);
    setValue(next);
  };
  return [value, set];
}
