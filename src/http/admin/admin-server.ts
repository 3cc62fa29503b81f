/** What all servers of the dashboard's API share, whichever routes they have. */
import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import { AjvCompiler } from "@fastify/ajv-compiler";
import fastify, { type FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";
import { Passwords } from "../../operations/system/passwords.ts";
import { answerOthers, replyToBadAddress, setFastifyDefaults, WITHOUT_COMPILERS } from "../pages/fastify-server.ts";
import { type Authentication, requireAccess } from "./access.ts";
import { articlePage } from "./articles/article-presenters.ts";
import type { DashboardMetrics } from "../operators/metrics.ts";
import { ADMIN_PREFIX, type AdminOptions, isAgents, MANAGEMENT_PREFIX, SENDERS_PREFIX } from "./admin-options.ts";
import type { Admin, AdminServer } from "./routes.ts";
import { Throttle } from "./people/throttle.ts";

const MAX_BODY_BYTES = 65_536;

export interface AdminServerOptions extends Pick<
  AdminOptions,
  "deps" | "disableAfter" | "trashMs" | "publicUrl" | "trace" | "log" | "onError"
> {
  /** Called first for each request. @returns its id. */
  accept: (req: IncomingMessage) => string;
  metrics?: DashboardMetrics;
}

/** Routes at one prefix, all with the same way of signing in. */
export interface Mount {
  /** With a slash at the end. */
  prefix: string;
  authentication: Authentication;
  addRoutes: (routes: AdminServer, admin: Admin) => void;
}

/** Builds a server that is ready for requests but does not listen. `stopping`: aborted when the service stops. */
export async function buildAdminServer(
  options: AdminServerOptions,
  stopping: AbortSignal,
  mounts: readonly Mount[],
): Promise<FastifyInstance> {
  const { deps, disableAfter, trashMs, publicUrl, trace, log, onError, accept, metrics } = options;
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    frameworkErrors: replyToBadAddress,
    genReqId: accept,
    schemaController: WITHOUT_COMPILERS,
  });
  app.setValidatorCompiler(compileValidator).setSerializerCompiler(compileSerializer);
  const background = new Background(onError);
  const passwords = deps.passwords ?? new Passwords(deps.randomBytes);
  const admin: Admin = {
    form: articlePage,
    deps: { ...deps, passwords, later: (work) => background.add(work) },
    disableAfter,
    trashMs,
    publicUrl,
    throttle: new Throttle(() => performance.now()),
    onError,
    stopping,
  };
  setFastifyDefaults(app, log, trace);
  app.addHook("onResponse", async ({ method, url, routeOptions }, { statusCode, elapsedTime }) => {
    // Agents' requests are counted by their tools, and by what these ask of the management API; senders' as arrivals.
    if (isAgents(url) || url.startsWith(SENDERS_PREFIX)) return;
    const { url: pattern } = routeOptions;
    const [api, prefix] = url.startsWith(MANAGEMENT_PREFIX)
      ? (["management", MANAGEMENT_PREFIX] as const)
      : (["dashboard", ADMIN_PREFIX] as const);
    metrics?.observe(
      api,
      method,
      pattern?.slice(prefix.length - 1),
      statusCode,
      routeOptions.config.isStream === true ? null : elapsedTime,
    );
  });
  app.addHook("onClose", () => background.whenDone());
  app.decorateRequest("signedIn", null);
  app.decorateRequest("triedOn", null);
  app.decorateRequest("inTransaction", null);
  for (const mount of mounts) {
    await app.register(
      async (routes: AdminServer) => {
        requireAccess(routes, admin, mount);
        mount.addRoutes(routes, admin);
      },
      { prefix: mount.prefix.slice(0, -1) },
    );
    await answerOthers();
  }
  await app.ready();
  return app;
}

/** Schemas are compiled at first use: all take 0.2 s, and most are never used in the life of a process. */
type Validate = ReturnType<FastifySchemaCompiler<object>>;
type Serialize = ReturnType<FastifySerializerCompiler<object>>;

// A body or query that breaks the contract is refused, not repaired. The package declares its argument wrongly.
const buildValidator = AjvCompiler()(
  {},
  { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
) as unknown as FastifySchemaCompiler<object>;
const buildSerializer = SerializerSelector()({}, {}) as FastifySerializerCompiler<object>;

const validators = new WeakMap<object, Validate>();
const serializers = new WeakMap<object, Serialize>();

export const compileValidator: FastifySchemaCompiler<object> = (route) => {
  const validate: Validate = (value: unknown) => {
    const compiled = validators.getOrInsertComputed(route.schema, () => buildValidator(route));
    const result = compiled(value);
    validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
};

export const compileSerializer: FastifySerializerCompiler<object> = (route) => (value) =>
  serializers.getOrInsertComputed(route.schema, () => buildSerializer(route))(value);

/** Work that continues after its response was sent. */
export class Background {
  readonly #onError: (error: unknown, message: string) => void;
  readonly #running = new Set<Promise<void>>();

  constructor(onError: (error: unknown, message: string) => void) {
    this.#onError = onError;
  }

  add(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#onError(error, "the work after a response failed"))
      .finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  async whenDone(): Promise<void> {
    await Promise.all(this.#running);
  }
}
