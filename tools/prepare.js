// Runs at the end of `npm ci` and before the service starts. Plain JavaScript: an installation without the bundled Node may run
// this with any Node from 20 on.
if (Number(process.versions.node.split(".")[0]) < 24) {
  process.stdout.write(
    `The dashboard is built by Node 24 or newer, and this is ${process.version}; it was left out.\n`,
  );
} else {
  const { buildDashboard, hasBuilt } = await import("./build-dashboard.ts");
  if ((await buildDashboard()) === "no-tools") {
    process.stdout.write(
      hasBuilt()
        ? "The dashboard stays as it was built: what would build it anew is not installed (npm ci installs it).\n"
        : "The dashboard is not built, as its development packages are not installed: run npm ci without --omit, " +
            "or copy dashboard/dist from where it was built. Everything else works without it, but for the pages at /docs.\n",
    );
  }
}
