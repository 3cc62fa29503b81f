/** Asks where a link leads: to an address, or to a published article, which is found by its title. */
import { Button, Combobox, Group, Stack, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import type { ArticleListItem } from "../../../../../../../src/http/admin/contract/articles.ts";
import {
  foundArticlesQuery,
  matchesWords,
  MAX_FOUND,
  rankTitle,
  recentArticlesQuery,
} from "../../../../../shared/article-search.ts";
import { useWebsite } from "../../../../../shared/session.tsx";
import { reviewedQuery } from "../../../queries.ts";
import { cleanAddress } from "../../document/addresses.ts";

interface LinkFormProps {
  href: string | null;
  /** `text`: what the link says if nothing is selected. */
  onLink: (href: string, text: string) => void;
  onRemove: () => void;
  onClose: () => void;
}

const SEARCH_AFTER_MS = 150;

export function LinkForm({ href, onLink, onRemove, onClose }: LinkFormProps): ReactNode {
  const website = useWebsite();
  const client = useQueryClient();
  const [typed, setTyped] = useState(href ?? "");
  const [article, setArticle] = useState<{ title: string; url: string } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const found = useFoundArticles(website.id, typed === href || isAddress(typed) ? "" : typed.trim());
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const isOffering = found.length > 0;
  // Enter takes the first one.
  useEffect(() => {
    if (isOffering) combobox.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- whenever others are offered
  }, [typed, found.length]);

  function type(text: string): void {
    setTyped(text);
    setArticle(null);
    setError(null);
    combobox.openDropdown();
  }

  async function choose(id: string): Promise<void> {
    const title = found.find((one) => one.id === id)?.title ?? "";
    combobox.closeDropdown();
    setLoading(true);
    try {
      const url = (await client.fetchQuery(reviewedQuery(website.id, id))).public_url;
      if (url === null) setError(`The address of “${title}” is not known. The website has no article URL pattern.`);
      else {
        setTyped(url);
        setArticle({ title, url });
      }
    } catch {
      setError(`The address of “${title}” could not be loaded. Try again.`);
    } finally {
      setLoading(false);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    // In React's tree, the dialog is inside the article's form.
    event.stopPropagation();
    const address = typed.trim();
    if (address === "") setError("An address is needed.");
    else if (/\s/.test(address) && !isAddress(address))
      setError("This is not an address, and no article has this title.");
    else {
      const target = cleanAddress(address);
      onLink(target, article?.url === target ? article.title : target);
      onClose();
    }
  }

  function press(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !combobox.dropdownOpened || !isOffering) return;
    // Closes the list, not the dialog.
    event.stopPropagation();
    combobox.closeDropdown();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Combobox store={combobox} onOptionSubmit={(id) => void choose(id)}>
          <Combobox.Target withExpandedAttribute={false}>
            <TextInput
              data-autofocus
              label="Address"
              description={
                article === null ? "Or search by the title of a published article." : `Article: ${article.title}`
              }
              placeholder="https://"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => type(event.currentTarget.value)}
              onKeyDown={press}
              onBlur={() => combobox.closeDropdown()}
              error={error}
              aria-busy={isLoading || undefined}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={!isOffering}>
            <Combobox.Options aria-label="Published articles" mah={260} style={{ overflowY: "auto" }}>
              {found.map(({ id, title }) => (
                <Combobox.Option key={id} value={id}>
                  {title}
                </Combobox.Option>
              ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        <Group justify="flex-end" gap="sm">
          {href !== null && (
            <Button
              variant="default"
              onClick={() => {
                onRemove();
                onClose();
              }}
            >
              Remove link
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isLoading}>
            {href === null ? "Insert link" : "Change"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Published articles, the best titles first. */
function useFoundArticles(websiteId: string, typed: string): readonly ArticleListItem[] {
  const [wanted] = useDebouncedValue(typed, SEARCH_AFTER_MS);
  const isWanted = /[\p{L}\p{N}]/u.test(typed);
  const recent = useQuery({ ...recentArticlesQuery(websiteId, "published"), enabled: isWanted });
  const found = useQuery({
    ...foundArticlesQuery(websiteId, "published", wanted),
    enabled: /[\p{L}\p{N}]/u.test(wanted),
  });
  if (!isWanted) return [];
  const titles = (recent.data?.articles ?? []).filter(({ title }) => matchesWords(title, typed));
  const known = new Set(titles.map(({ id }) => id));
  const all = [...titles, ...(found.data?.articles ?? []).filter(({ id }) => !known.has(id))];
  return all.toSorted((a, b) => rankTitle(a.title, typed) - rankTitle(b.title, typed)).slice(0, MAX_FOUND);
}

/** Whether it looks like an address rather than a title. */
function isAddress(text: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\S|\/|#|\?|\.{1,2}\/|www\.)/i.test(text.trim()) || /^\S+\.\S+$/.test(text.trim());
}
