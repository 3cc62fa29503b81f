/**
 * Compiles a route's schemas when they are first used: compiling those of all routes takes 0.2 s, and most of them are never
 * used in the life of a process. Servers in one process share what is compiled.
 */
import { AjvCompiler } from "@fastify/ajv-compiler";
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";

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
