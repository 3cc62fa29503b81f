import {
  ActionIcon,
  Button,
  Group,
  Indicator,
  Pill,
  Popover,
  Select,
  type SelectProps,
  SimpleGrid,
  Stack,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import IconFilter from "@tabler/icons-react/dist/esm/icons/IconFilter.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type Ref, useEffect, useRef, useState } from "react";
import type { ArticleSort, Assignees } from "../../../../src/http/admin/contract/articles.ts";
import {
  DEFAULT_QUEUE,
  FILTERS,
  type FilterName,
  type Queue,
  SCORE_LABELS,
  STATE_LABELS,
} from "../../shared/article-queue.ts";
import { assigneesQuery } from "../../shared/assignee.tsx";
import { describeLanguage, listLanguages } from "../../shared/languages.ts";
import { labelsQuery } from "../../shared/article-labels.ts";
import type { FindingFilter } from "../../../../src/domain/articles/findings.ts";
import { FINDING_FILTERS } from "../../shared/finding-kinds.ts";
import { type ArticleOrigin, ORIGIN_LABELS } from "../../shared/origins.ts";
import type { ArticlesSearch } from "./search.ts";
import classes from "./filter-bar.module.css";

interface FilterBarProps {
  websiteId: string;
  search: ArticlesSearch;
  /** An undefined value removes the filter. */
  onChange: (change: ArticlesSearch) => void;
  searchRef: Ref<HTMLInputElement>;
}

const NAMES: Record<FilterName, string> = {
  state: "Status",
  category: "Category",
  tag: "Tag",
  keyword: "Keyword",
  author: "Byline",
  writer: "Author",
  assignee: "Assigned to",
  language: "Language",
  score: "Score",
  origin: "Origin",
  finding: "Finding",
  published_from: "Published from",
  published_until: "Published until",
  updated_from: "Updated from",
  updated_until: "Updated until",
};
const toOptions = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
const ORIGINS = toOptions(ORIGIN_LABELS);
const FINDINGS = toOptions(FINDING_FILTERS);
// The compiler widens the keys of an object.
const ORIGIN_KINDS = Object.keys(ORIGIN_LABELS) as ArticleOrigin[];
const FINDING_NAMES = Object.keys(FINDING_FILTERS) as FindingFilter[];

export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined])) as Record<FilterName, undefined>;

interface SortOption {
  value: "" | ArticleSort;
  label: string;
}

/** The table's header sorts, too, where there is space for it. */
const SORTS: readonly SortOption[] = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "-updated_at", label: "Recently updated" },
  { value: "-published_at", label: "By date of publication" },
  { value: "title", label: "Title, A to Z" },
  { value: "-title", label: "Title, Z to A" },
];

/** Those by the time since when an article is in its state. */
const SORTS_BY_VIEW: Partial<Record<Queue, SortOption>> = {
  in_review: { value: "state_since", label: "Waiting longest" },
  resubmitted: { value: "state_since", label: "Waiting longest" },
  published: { value: "-state_since", label: "Recently published" },
  drafts: { value: "-state_since", label: "Recently published" },
};

function listSorts({ q, view = DEFAULT_QUEUE }: ArticlesSearch): SortOption[] {
  const own = SORTS_BY_VIEW[view];
  const first: SortOption = { value: "", label: q === undefined ? "Default order" : "Most relevant" };
  return [first, ...(own === undefined ? [] : [own]), ...SORTS];
}

export function FilterBar({ websiteId, search, onChange, searchRef }: FilterBarProps): ReactNode {
  const { data: assignees } = useQuery({
    ...assigneesQuery(websiteId),
    enabled: search.writer !== undefined || search.assignee !== undefined,
  });
  const active = FILTERS.filter((name) => name !== "state" || search.view === "all").flatMap((name) => {
    const value = getLabel(search, name, assignees?.people);
    return value === undefined ? [] : [{ name, value }];
  });
  const sorts = listSorts(search);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SearchField q={search.q} onChange={(q) => onChange({ q })} inputRef={searchRef} />
        <FilterPopover websiteId={websiteId} search={search} onChange={onChange} active={active.length} />
        <Select
          aria-label="Sort"
          className={classes.sort}
          data={sorts}
          value={search.sort ?? ""}
          onChange={(value) => onChange({ sort: sorts.find((one) => one.value === value)?.value || undefined })}
          allowDeselect={false}
        />
      </Group>
      {active.length > 0 && (
        <Group gap={6}>
          {active.map(({ name, value }) => (
            <Pill
              key={name}
              withRemoveButton
              onRemove={() => onChange({ [name]: undefined })}
              removeButtonProps={{
                "aria-hidden": false,
                "aria-label": `Remove ${NAMES[name].toLowerCase()}: ${value}`,
                tabIndex: 0,
              }}
            >
              {`${NAMES[name]}: ${value}`}
            </Pill>
          ))}
          <Button variant="subtle" size="compact-xs" onClick={() => onChange(NO_FILTERS)}>
            Clear filters
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function getLabel(search: ArticlesSearch, name: FilterName, people: Assignees["people"] = []): string | undefined {
  const value = search[name];
  if (value === undefined) return undefined;
  if (name === "origin") return search.origin && ORIGIN_LABELS[search.origin];
  if (name === "finding") return search.finding && FINDING_FILTERS[search.finding];
  if (name === "score") return search.score && SCORE_LABELS[search.score];
  if (name === "state") return search.state && STATE_LABELS[search.state];
  if (name === "language") return describeLanguage(value);
  if (name === "writer" || name === "assignee") return people.find(({ id }) => id === value)?.name ?? "…";
  return value;
}

const SEARCH_AFTER_MS = 250;

/** Searches shortly after typing; a different query in the URL replaces the text. */
function SearchField(props: {
  q: string | undefined;
  onChange: (q: string | undefined) => void;
  inputRef: Ref<HTMLInputElement>;
}): ReactNode {
  const { q = "", onChange, inputRef } = props;
  const [typed, setTyped] = useState(q);
  const searched = useRef(q);
  const searchNow = (text: string) => {
    searched.current = text.trim();
    onChange(searched.current || undefined);
  };
  const search = useDebouncedCallback(searchNow, { delay: SEARCH_AFTER_MS, flushOnUnmount: false });
  useEffect(() => {
    // The user may have typed more by then.
    if (q === searched.current) return;
    searched.current = q;
    search.cancel();
    setTyped(q);
  }, [q, search]);
  return (
    <TextInput
      ref={inputRef}
      className={classes.search}
      type="search"
      aria-label="Search articles"
      placeholder="Search articles"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed !== "" && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Clear the search"
            onClick={() => {
              search.cancel();
              setTyped("");
              searchNow("");
            }}
          >
            <IconX size={14} />
          </ActionIcon>
        )
      }
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
        if (event.key === "Enter") search.flush();
      }}
    />
  );
}

function FilterPopover(
  props: Pick<FilterBarProps, "websiteId" | "search" | "onChange"> & { active: number },
): ReactNode {
  const { active, ...shown } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="lg" width="min(560px, 94vw)" trapFocus>
      <Indicator disabled={active === 0} label={active} size={16}>
        <Popover.Target>
          <Button variant="default" leftSection={<IconFilter size={16} />} onClick={() => setOpen(!isOpen)}>
            Filter
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown className={classes.filters}>
        <FilterForm {...shown} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterFormProps extends Pick<FilterBarProps, "websiteId" | "search" | "onChange"> {
  onClose: () => void;
}

/** Mounted anew at each opening, so that its fields start with the values in the address. */
function FilterForm({ websiteId, search, onChange, onClose }: FilterFormProps): ReactNode {
  const { data } = useQuery(labelsQuery(websiteId));
  const { data: assignees } = useQuery(assigneesQuery(websiteId));
  const people = (assignees?.people ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const [keyword, setKeyword] = useState(search.keyword ?? "");
  const [author, setAuthor] = useState(search.author ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ keyword: keyword.trim() || undefined, author: author.trim() || undefined });
        onClose();
      }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        {search.view === "all" && (
          <Choice
            label={NAMES.state}
            data={toOptions(STATE_LABELS)}
            value={search.state}
            onChange={(value) => onChange({ state: findKey(STATE_LABELS, value) })}
          />
        )}
        {(["category", "tag"] as const).map((name) => (
          <Choice
            key={name}
            label={NAMES[name]}
            data={withCurrent(name === "tag" ? data?.tags : data?.categories, search[name])}
            value={search[name]}
            onChange={(value) => onChange({ [name]: value })}
            nothingFoundMessage={`No such ${name}`}
            limit={100}
          />
        ))}
        <Choice
          label={NAMES.origin}
          data={ORIGINS}
          value={search.origin}
          onChange={(value) => onChange({ origin: ORIGIN_KINDS.find((one) => one === value) })}
        />
        <Choice
          label={NAMES.finding}
          placeholder="Any article"
          data={FINDINGS}
          value={search.finding}
          onChange={(value) => onChange({ finding: FINDING_NAMES.find((one) => one === value) })}
          clearButtonProps={{ "aria-label": "Articles with and without findings" }}
          nothingFoundMessage="No such finding"
        />
        {(["writer", "assignee"] as const).map((name) => (
          <Choice
            key={name}
            label={NAMES[name]}
            data={people}
            value={search[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
        <Choice
          label={NAMES.language}
          data={listLanguages(search.language ?? "")}
          value={search.language}
          onChange={(language) => onChange({ language })}
        />
        <Choice
          label={NAMES.score}
          data={toOptions(SCORE_LABELS)}
          value={search.score}
          onChange={(value) => onChange({ score: findKey(SCORE_LABELS, value) })}
        />
        {(["published", "updated"] as const).map((field) => (
          <Group key={field} gap="xs" grow align="flex-end" wrap="nowrap">
            {(["from", "until"] as const).map((end) => (
              <DayField
                key={end}
                label={NAMES[`${field}_${end}`]}
                value={search[`${field}_${end}`]}
                onChange={(day) => onChange({ [`${field}_${end}`]: day })}
              />
            ))}
          </Group>
        ))}
        <TextInput
          label="Keyword"
          description="Target keyword or SEO keyword"
          value={keyword}
          onChange={({ currentTarget }) => setKeyword(currentTarget.value)}
        />
        <TextInput
          label="Byline"
          description="An author, as readers see it"
          value={author}
          onChange={({ currentTarget }) => setAuthor(currentTarget.value)}
        />
      </SimpleGrid>
      <Button type="submit" mt="md" fullWidth variant="light">
        Apply
      </Button>
    </form>
  );
}

interface ChoiceProps extends Omit<SelectProps, "value" | "onChange"> {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Choice({ value, onChange, ...select }: ChoiceProps): ReactNode {
  return (
    <Select
      placeholder="Any"
      searchable
      openOnFocus={false}
      clearable
      clearButtonProps={{ "aria-label": `Any ${select.label.toLowerCase()}` }}
      nothingFoundMessage="Nothing found"
      comboboxProps={{ withinPortal: false }}
      {...select}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** A day as it is written everywhere: browsers show their own date fields in their language, not in the reader's. */
function DayField(props: {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
}): ReactNode {
  const { label, value = "", onChange } = props;
  const [typed, setTyped] = useState(value);
  return (
    <TextInput
      label={label}
      placeholder="2026-12-31"
      value={typed}
      error={typed.length >= 10 && !isRealDay(typed) ? "Use the format 2026-12-31" : null}
      onChange={({ currentTarget }) => {
        const day = currentTarget.value.trim();
        setTyped(day);
        if (day === "") onChange(undefined);
        else if (isRealDay(day)) onChange(day);
      }}
    />
  );
}

function isRealDay(day: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function findKey<T extends string>(labels: Readonly<Record<T, string>>, value: string | undefined): T | undefined {
  // The compiler widens the keys of an object.
  return (Object.keys(labels) as T[]).find((one) => one === value);
}

/** Adds the value from the URL to the list, even if no article has it now. */
function withCurrent(labels: readonly string[] = [], current: string | undefined): string[] {
  return [...new Set([...(current === undefined ? [] : [current]), ...labels])];
}
