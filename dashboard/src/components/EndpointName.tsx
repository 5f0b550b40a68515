// An endpoint by its name, beside its colour.
import { endpointColor } from "@/logic/colors";
import { endpointName } from "@/logic/endpoints";

export function EndpointName({ endpoint }: { endpoint: string }) {
  return (
    <>
      <i className="endpoint-dot" style={{ background: endpointColor(endpoint) }} aria-hidden />
      {endpointName(endpoint)}
    </>
  );
}
