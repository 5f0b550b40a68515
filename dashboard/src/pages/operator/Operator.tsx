// The layout of the operators' pages. Other people get "Page not found".
import { Outlet } from "@tanstack/react-router";
import { useViewer } from "@/api/session";
import { NotFound } from "@/components/NotFound";

export function Operator() {
  return useViewer().operator ? <Outlet /> : <NotFound />;
}
