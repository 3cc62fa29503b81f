/** The values of JavaScript that needs no running: constants, and what is made of them. */
import type { Node, Program } from "acorn";
import { FrontMatterFields } from "../../front-matter.ts";
import { isRecord } from "../../../../domain/articles/json-values.ts";

/** What the names in a text stand for. */
export interface Scope {
  values: Map<string, unknown>;
  /** Files that were imported, by their names. */
  files: Map<string, string>;
  /** Words of components that the text itself defines. */
  components: Map<string, string>;
}

/** A value that only a browser knows. */
export const UNKNOWN: unique symbol = Symbol("unknown");

type Tree = Node & Record<string, unknown>;

/** Functions of generators that return the address that they get. */
const ADDRESSES: ReadonlySet<string> = new Set(["require", "useBaseUrl", "withBase", "withBasePath", "url", "String"]);

export function evaluate(node: Node | undefined, scope: Scope): unknown {
  const tree = node as Tree | undefined;
  const value = (key: string): unknown => evaluate(tree?.[key] as Node | undefined, scope);
  switch (tree?.type) {
    case "Empty":
      return undefined;
    case "Literal":
      return tree["regex"] === undefined ? tree["value"] : UNKNOWN;
    case "TemplateLiteral":
      return evaluateTemplate(tree, scope);
    case "Identifier":
      return nameValue(tree["name"] as string, scope);
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "AwaitExpression":
      return value(tree.type === "AwaitExpression" ? "argument" : "expression");
    case "UnaryExpression": {
      const operand = value("argument");
      if (operand === UNKNOWN) return UNKNOWN;
      return tree["operator"] === "-" ? -Number(operand) : tree["operator"] === "!" ? !operand : UNKNOWN;
    }
    case "BinaryExpression":
      return calculate(tree["operator"], value("left"), value("right"));
    case "ConditionalExpression": {
      const test = value("test");
      return test === UNKNOWN ? UNKNOWN : value(test ? "consequent" : "alternate");
    }
    case "LogicalExpression": {
      const left = value("left");
      if (left === UNKNOWN) return UNKNOWN;
      const isLeft = tree["operator"] === "&&" ? !left : tree["operator"] === "||" ? Boolean(left) : left != null;
      return isLeft ? left : value("right");
    }
    case "ArrayExpression": {
      const items = (tree["elements"] as Node[]).map((item) => evaluate(item, scope));
      return items.includes(UNKNOWN) ? UNKNOWN : items;
    }
    case "ObjectExpression":
      return evaluateObject(tree, scope);
    case "MemberExpression":
      return member(value("object"), tree, scope);
    case "CallExpression": {
      const callee = tree["callee"] as Tree;
      const [first] = tree["arguments"] as Node[];
      return callee.type === "Identifier" && ADDRESSES.has(callee["name"] as string) ? evaluate(first, scope) : UNKNOWN;
    }
    default:
      return UNKNOWN;
  }
}

function nameValue(name: string, { values, files }: Scope): unknown {
  if (name === "undefined") return undefined;
  if (values.has(name)) return values.get(name);
  return files.get(name) ?? UNKNOWN;
}

function evaluateTemplate(tree: Tree, scope: Scope): unknown {
  const parts = tree["quasis"] as { value: { cooked: string } }[];
  const holes = (tree["expressions"] as Node[]).map((hole) => evaluate(hole, scope));
  if (holes.some((hole) => typeof hole !== "string" && typeof hole !== "number")) return UNKNOWN;
  return parts.map(({ value }, index) => `${value.cooked}${index < holes.length ? String(holes[index]) : ""}`).join("");
}

function calculate(operator: unknown, left: unknown, right: unknown): unknown {
  const isText = typeof left === "string" || typeof right === "string";
  const areKnown = [left, right].every((side) => typeof side === "string" || typeof side === "number");
  if (!areKnown) return UNKNOWN;
  if (operator === "+" && isText) return String(left) + String(right);
  if (isText) return UNKNOWN;
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    default:
      return UNKNOWN;
  }
}

function evaluateObject(tree: Tree, scope: Scope): unknown {
  const made: [string, unknown][] = [];
  for (const property of tree["properties"] as Tree[]) {
    const key = property["key"] as Tree | undefined;
    if (property.type !== "Property" || key === undefined || property["computed"] === true) continue;
    made.push([String(key["name"] ?? key["value"]), evaluate(property["value"] as Node, scope)]);
  }
  return Object.fromEntries(made);
}

function member(object: unknown, tree: Tree, scope: Scope): unknown {
  const property = tree["property"] as Tree;
  const key = tree["computed"] === true ? evaluate(property, scope) : property["name"];
  // An imported picture is an object or an address, by the bundler.
  if (typeof object === "string" && (key === "src" || key === "default" || key === "url")) return object;
  if (Array.isArray(object) && typeof key === "number") return object[key] ?? undefined;
  if (object instanceof FrontMatterFields) return typeof key === "string" ? object.get(key) : UNKNOWN;
  return isRecord(object) && typeof key === "string" && Object.hasOwn(object, key) ? object[key] : UNKNOWN;
}

/** Adds what imports and exports name. */
export function readModule(program: Program | undefined, scope: Scope): void {
  for (const statement of (program?.body ?? []) as unknown as Tree[]) {
    if (statement.type === "ImportDeclaration") {
      const path = (statement["source"] as { value: string }).value;
      const file = path.includes("!") ? path.slice(path.lastIndexOf("!") + 1) : path.split("?")[0];
      for (const { type, local } of statement["specifiers"] as { type: string; local: { name: string } }[])
        if (type === "ImportDefaultSpecifier") scope.files.set(local.name, file ?? path);
      continue;
    }
    const declaration = (statement["declaration"] ?? statement) as Tree;
    if (declaration.type === "FunctionDeclaration") addComponent(declaration["id"], declaration["body"], scope);
    if (declaration.type !== "VariableDeclaration") continue;
    for (const { id, init } of declaration["declarations"] as { id: Tree; init: Tree | null }[]) {
      if (id.type !== "Identifier" || init === null) continue;
      const isFunction = init.type === "ArrowFunctionExpression" || init.type === "FunctionExpression";
      if (isFunction) addComponent(id, init["body"], scope);
      else scope.values.set(id["name"] as string, evaluate(init, scope));
    }
  }
}

function addComponent(id: unknown, body: unknown, scope: Scope): void {
  const { name } = id as { name?: string };
  if (name !== undefined) scope.components.set(name, wordsOf(body as Node));
}

/** Trees are as deep as their source, and a walk ends with what an article may have. */
const MAX_DEPTH = 200;

/** The words between the tags of JavaScript with JSX. */
export function wordsOf(node: Node | undefined): string {
  const words: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    if (!isRecord(value)) return;
    if (value["type"] === "JSXText") words.push(String(value["value"]));
    else if (value["type"] === "JSXExpressionContainer" && isText(value["expression"]))
      words.push(value["expression"].value);
    else for (const [key, child] of Object.entries(value)) if (key !== "attributes") visit(child, depth + 1);
  };
  visit(node, 0);
  return words.join(" ").replaceAll(/\s+/g, " ").trim();
}

function isText(value: unknown): value is { value: string } {
  return isRecord(value) && value["type"] === "Literal" && typeof value["value"] === "string";
}
