import type { FastifyError } from "fastify";

/** Error handler for a route with its own `bodyLimit`: says how much is allowed. `sentence`: without its period. */
export function refuseTooLarge(sentence: string): (error: FastifyError) => never {
  return (error) => {
    if (error.code !== "FST_ERR_CTP_BODY_TOO_LARGE") throw error;
    throw Object.assign(new Error(sentence, { cause: error }), { statusCode: 413 });
  };
}
