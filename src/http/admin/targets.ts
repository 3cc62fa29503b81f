import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/errors.ts";
import type { Action } from "../../domain/permissions.ts";
import { refuseOnTarget } from "./routes.ts";

/**
 * The thing that an address names, for who may do that with it. By one sentence whether it is not there or belongs to a
 * website that the person is no member of.
 *
 * @throws AppError `not_found`, `forbidden`.
 */
export async function targetOf<T>(
  request: FastifyRequest,
  action: Action,
  noun: string,
  find: () => Promise<T>,
  websiteOf: (found: T) => string,
): Promise<T> {
  const notFound = `There is no ${noun} with this id; it may have been deleted.`;
  let found: T;
  try {
    found = await find();
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") throw new AppError("not_found", notFound);
    throw error;
  }
  refuseOnTarget(request, action, websiteOf(found), notFound);
  return found;
}
