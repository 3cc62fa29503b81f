/**
 * Fixes how V8 lays out requests, responses and sockets.
 *
 * V8 reserves space within an object for the properties that the first seven objects of its constructor got. If all of those
 * have been collected when the seventh is made, it reserves none: from then on each request, response or socket is a
 * dictionary, and a read from memory takes half as much CPU time again, until the process ends. A few health checks and a
 * quiet second before the first reader are enough.
 */

// Not imported: see public-server.ts.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule("node:http");
const { Socket } = process.getBuiltinModule("node:net");

/** One more than V8 looks at. */
const OBJECTS = 8;

/** Makes the first objects of each kind, all of them alive at once. Call it before any other is made. */
export function fixObjectLayout(): void {
  const alive: unknown[] = [];
  while (alive.length < OBJECTS) {
    const request = new IncomingMessage(new Socket());
    alive.push(new ServerResponse(request));
  }
}
