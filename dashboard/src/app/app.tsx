import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AnnounceProvider } from "../shared/announce.tsx";
import { ConfirmProvider } from "../shared/confirm.tsx";
import { ShortcutProvider } from "../shared/shortcuts.tsx";
import { ClockProvider } from "../shared/time.tsx";
import { ToastList } from "../shared/toast-list.tsx";
import type { AppRouter } from "./router.tsx";
import { ShortcutHelpProvider } from "./shortcut-help.tsx";
import { theme } from "./theme.ts";

/** Read by public/first.js, too. */
const colorSchemeManager = localStorageColorSchemeManager({ key: "rostrum.colors" });

interface AppProps {
  router: AppRouter;
  queryClient: QueryClient;
  /** Nonce of the content security policy; Mantine sets it on the styles that it adds. */
  nonce: string;
}

export function App({ router, queryClient, nonce }: AppProps): ReactNode {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        withCssVariables={false}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemeManager}
        getStyleNonce={() => nonce}
      >
        <ToastList />
        <AnnounceProvider>
          <ShortcutProvider>
            <ShortcutHelpProvider>
              <ConfirmProvider>
                <ClockProvider>
                  <RouterProvider router={router} />
                </ClockProvider>
              </ConfirmProvider>
            </ShortcutHelpProvider>
          </ShortcutProvider>
        </AnnounceProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}
