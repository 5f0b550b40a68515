// The frame of the pages for operators: whoever is none finds nothing here.
import { Outlet } from "@tanstack/react-router";
import { useViewer } from "@/api/session";
import { NotFound } from "@/components/NotFound";

export function Operator() {
  return useViewer().operator ? <Outlet /> : <NotFound />;
}
