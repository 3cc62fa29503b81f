import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.layer.css";
import "./app/theme.css";
import "./app/global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query.ts";
import { App } from "./app/app.tsx";
import { createAppRouter } from "./app/router.tsx";
import { ignoreStrayDrops } from "./shared/stray-drops.ts";

/** The service writes a nonce into each page that it sends. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
// Read by react-remove-scroll, which keeps the page from scrolling behind Mantine's dialogs.
Object.assign(globalThis, { __webpack_nonce__: nonce });
const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no element #root.");

ignoreStrayDrops(window);
const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
createRoot(root).render(
  <StrictMode>
    <App router={router} queryClient={queryClient} nonce={nonce} />
  </StrictMode>,
);
