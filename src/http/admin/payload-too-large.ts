import type { FastifyError } from "fastify";

/** Error handler of a route with a `bodyLimit` of its own: says how much there is room for. `sentence`: without its period. */
export function refuseTooLarge(sentence: string): (error: FastifyError) => never {
  return (error) => {
    if (error.code !== "FST_ERR_CTP_BODY_TOO_LARGE") throw error;
    throw Object.assign(new Error(sentence, { cause: error }), { statusCode: 413 });
  };
}
