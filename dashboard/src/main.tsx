import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./app/global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query.ts";
import { App } from "./app/app.tsx";
import { createAppRouter } from "./app/router.tsx";

/** Written into the page by the service with each answer. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
// Where the part of Mantine's dialogs that keeps the page from scrolling (react-remove-scroll) looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce });
const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no element #root.");

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
createRoot(root).render(
  <StrictMode>
    <App router={router} queryClient={queryClient} nonce={nonce} />
  </StrictMode>,
);
