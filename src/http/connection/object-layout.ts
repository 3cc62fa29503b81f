/**
 * Keeps V8 from forgetting how requests, responses, sockets and ticks are laid out in memory when it collects garbage
 * at a moment when there are none. It would not learn it again, and until the process ends a read from memory would
 * take up to 40 % more CPU time. A few health checks and a quiet second are enough for that.
 *
 * - V8 reserves space within an object for the properties that the first seven objects of its constructor got. If all
 *   of those are gone when the seventh is made, it reserves none, and each request, response or socket is a dictionary.
 * - `process.nextTick` makes an object with computed names. If none is left, these are looked up anew at each call: 0.5
 *   µs instead of 0.06, several times for each request.
 */

// Not imported: see public-server.ts.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule("node:http");
const { Socket } = process.getBuiltinModule("node:net");
const { createHook } = process.getBuiltinModule("node:async_hooks");

/** One more than V8 looks at. */
const OBJECTS = 8;

/** Makes the first objects of each kind. Call it before any other is made. @returns what must not be collected. */
export function keepObjectLayouts(): readonly object[] {
  const alive: object[] = [];
  while (alive.length < OBJECTS) {
    // The response refers to its request, and that to its socket.
    alive.push(new ServerResponse(new IncomingMessage(new Socket())));
  }
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === "TickObject") alive.push(resource);
    },
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
  return alive;
}
