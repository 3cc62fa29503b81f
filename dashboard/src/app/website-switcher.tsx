import { Combobox, UnstyledButton, useCombobox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconSelector from "@tabler/icons-react/dist/esm/icons/IconSelector.mjs";
import { type ReactNode, useState } from "react";
import { useMayEverywhere, useSession, useWebsiteOrNull } from "../shared/session.tsx";
import { useSwitchWebsite } from "./use-switch-website.ts";
import classes from "./website-switcher.module.css";

/** With this many websites the list gets a search field. */
const MANY = 8;
/** A value that is no website's ID. */
const NEW = "new";

export function WebsiteSwitcher(): ReactNode {
  const { websites } = useSession();
  const website = useWebsiteOrNull();
  const mayCreate = useMayEverywhere("website.manage");
  const label = website?.name ?? (websites.length === 0 ? "No website yet" : "Choose a website");
  if (websites.length <= 1 && !mayCreate) return <div className={classes.only}>{label}</div>;
  return <Switcher label={label} mayCreate={mayCreate} />;
}

function Switcher({ label, mayCreate }: { label: string; mayCreate: boolean }): ReactNode {
  const { websites } = useSession();
  const website = useWebsiteOrNull();
  const navigate = useNavigate();
  const switchTo = useSwitchWebsite();
  const [wanted, setWanted] = useState("");
  const isSearched = websites.length >= MANY;
  const combobox = useCombobox({
    onDropdownOpen: () => {
      combobox.selectActiveOption();
      if (isSearched) combobox.focusSearchInput();
    },
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
      setWanted("");
    },
  });
  const found = websites.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));

  function choose(id: string): void {
    combobox.closeDropdown();
    if (id === NEW) void navigate({ to: "/websites/new" });
    else if (id !== website?.id) switchTo(id);
  }

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={choose}
      position="bottom-start"
      width="target"
      shadow="lg"
      radius="md"
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Combobox.Target targetType="button">
        <UnstyledButton
          className={classes.button}
          aria-label={`Website: ${label}. Switch`}
          onClick={() => combobox.toggleDropdown()}
        >
          <span className={classes.name}>{label}</span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        {isSearched && (
          <Combobox.Search
            value={wanted}
            onChange={(event) => {
              setWanted(event.currentTarget.value);
              combobox.selectFirstOption();
            }}
            aria-label="Search websites"
            placeholder="Search websites"
            leftSection={<IconSearch size={14} />}
          />
        )}
        <Combobox.Options className={classes.list} aria-label="Websites">
          {found.map(({ id, name }) => (
            <Combobox.Option key={id} value={id} active={id === website?.id} className={classes.option}>
              <span className={classes.item}>{name}</span>
              {id === website?.id && <IconCheck size={16} aria-hidden />}
            </Combobox.Option>
          ))}
          {found.length === 0 && wanted !== "" && <Combobox.Empty>No website with that name</Combobox.Empty>}
          {mayCreate && (
            <Combobox.Option value={NEW} className={classes.option} data-new>
              <IconPlus size={16} aria-hidden />
              <span className={classes.item}>New website</span>
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
