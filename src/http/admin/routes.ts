/** What the routes of the dashboard's API are made of. */
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Static, TSchema } from "typebox";
import type { Origin } from "../../domain/audit.ts";
import type { SignInDeps } from "../../operations/sign-in.ts";
import type { SignedIn } from "../../operations/sessions.ts";
import { addressOf } from "./client.ts";
import type { Throttle } from "./throttle.ts";

export interface Admin {
  deps: SignInDeps;
  publicUrl: string | null;
  throttle: Throttle;
}

/** Bodies, queries and answers have the types of their schemas. */
interface ByContract extends FastifyTypeProvider {
  validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  serializer: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
}

export type AdminServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ByContract
>;

/** Who asks; `access.ts` has made sure that there is somebody. */
export function signedInOf(request: Pick<FastifyRequest, "signedIn">): SignedIn {
  if (request.signedIn === null) throw new Error("a route for those who are signed in was reached by somebody else");
  return request.signedIn;
}

export function originOf(admin: Admin, request: FastifyRequest): Origin {
  return { actor: signedInOf(request).account.id, address: addressOf(request.raw, admin.publicUrl) };
}
