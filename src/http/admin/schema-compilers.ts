/**
 * Compiles a route's schemas when they are first used: compiling those of all routes takes 0.2 s, and most of them are never
 * used in the life of a process. Servers in one process share what is compiled.
 */
import { AjvCompiler } from "@fastify/ajv-compiler";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler, FastifyValidationResult } from "fastify";

type Serialize = ReturnType<FastifySerializerCompiler<FastifySchema>>;

// A body or query that breaks the contract is refused, not repaired. Its types are those of another function.
const buildValidator = AjvCompiler()(
  {},
  { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
) as unknown as FastifySchemaCompiler<FastifySchema>;
const buildSerializer = SerializerSelector()({}, {}) as FastifySerializerCompiler<FastifySchema>;

const validators = new WeakMap<FastifySchema, FastifyValidationResult>();
const serializers = new WeakMap<FastifySchema, Serialize>();

export const compileValidator: FastifySchemaCompiler<FastifySchema> = (route) => {
  const validate: FastifyValidationResult = (value) => {
    const compiled = validators.getOrInsertComputed(route.schema, () => buildValidator(route));
    const result = compiled(value);
    validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
};

export const compileSerializer: FastifySerializerCompiler<FastifySchema> = (route) => (value) =>
  serializers.getOrInsertComputed(route.schema, () => buildSerializer(route))(value);
