import { Button, FileButton, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import type { AssetReplaced } from "../../../../src/http/admin/contract/assets.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import { TextLink } from "../../shared/links.tsx";
import classes from "./assets-page.module.css";
import { ACCEPTED, type Picture, refreshPictures } from "../../shared/pictures.ts";
import { replacePicture } from "./requests.ts";

interface ReplaceButtonProps {
  picture: Picture;
  websiteId: string;
  onReplaced: (result: AssetReplaced) => void;
}

/** Replaces the picture by another file in all articles that use it. */
export function ReplaceButton({ picture, websiteId, onReplaced }: ReplaceButtonProps): ReactNode {
  const client = useQueryClient();
  const confirm = useConfirm();
  const reset = useRef<() => void>(null);

  async function replace(file: File | null): Promise<void> {
    reset.current?.();
    if (file === null) return;
    const { name, use_count: count } = picture;
    const articles = count === 1 ? "The article that uses it gets" : `The ${count} articles that use it get`;
    await confirm({
      title: `Replace ${name} with ${file.name}?`,
      body: `${articles} the new picture. In published articles it is saved as a draft copy until you update them. Alternative texts stay.`,
      confirmLabel: "Replace",
      danger: false,
      action: async () => {
        onReplaced(await replacePicture(picture, websiteId, file));
        await refreshPictures(client, websiteId);
      },
    });
  }

  return (
    <FileButton accept={ACCEPTED} resetRef={reset} onChange={(file) => void replace(file)}>
      {(props) => (
        <Button size="compact-sm" variant="subtle" aria-label={`Replace ${picture.name}`} {...props}>
          Replace
        </Button>
      )}
    </FileButton>
  );
}

export function ReplacedNote({ result: { changed, left } }: { result: AssetReplaced }): ReactNode {
  const drafted = changed.filter(({ is_drafted: isDrafted }) => isDrafted).length;
  return (
    <div role="status">
      <Text size="sm">{`Replaced in ${countArticles(changed.length)}${drafted > 0 ? `, ${drafted} of them as a draft copy` : ""}.`}</Text>
      {left.length > 0 && (
        <>
          <Text size="sm">{`Not replaced in ${countArticles(left.length)}:`}</Text>
          <ul className={classes.uses}>
            {left.map(({ id, title, reason }) => (
              <li key={id}>
                <TextLink to="/articles/$id" params={{ id }} size="sm">
                  {title}
                </TextLink>
                {` – ${reason}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function countArticles(count: number): string {
  return count === 1 ? "1 article" : `${count} articles`;
}
