import { Anchor } from "@mantine/core";
import IconEye from "@tabler/icons-react/dist/esm/icons/IconEye.mjs";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SitePreview } from "../../../../src/http/admin/contract/review.ts";
import { apiPath, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import classes from "./about.module.css";

/** Opens the article on its website, in whatever state it is. */
export function SitePreviewButton({ articleId }: { articleId: string }): ReactNode {
  const opening = useMutation({
    // Browsers open a tab only while the click is handled; its address follows.
    mutationFn: async (tab: Window | null) => {
      try {
        const { url } = await post<SitePreview>(apiPath`/articles/${articleId}/site-previews`, { body: {} });
        if (tab === null) window.location.assign(url);
        else tab.location.replace(url);
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  return (
    <>
      <Anchor
        component="button"
        type="button"
        inherit
        disabled={opening.isPending}
        onClick={() => opening.mutate(openTab())}
      >
        <span className={classes.way}>
          Preview on the website <IconEye size={14} aria-hidden />
        </span>
      </Anchor>
      <ErrorNote error={opening.error} title="The preview could not be opened" />
    </>
  );
}

/** A tab that cannot reach this page. */
function openTab(): Window | null {
  const tab = window.open("about:blank", "_blank");
  if (tab !== null) tab.opener = null;
  return tab;
}
