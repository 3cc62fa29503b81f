import { Select } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import type { ReactNode } from "react";
import type { Member } from "../../../../src/http/admin/contract/members.ts";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Role } from "../../shared/session.tsx";
import classes from "./role-select.module.css";
import { ROLES } from "./roles.ts";

interface RoleSelectProps {
  member: Member;
  isSelf: boolean;
  disabled: boolean;
  onChange: (role: Role) => Promise<unknown>;
}

export function RoleSelect({ member, isSelf, disabled, onChange }: RoleSelectProps): ReactNode {
  const confirm = useConfirm();

  function choose(role: Role): void {
    if (role === member.role) return;
    const question = questionFor(role, member, isSelf);
    // The row shows the error.
    if (question === null) onChange(role).catch(() => undefined);
    else void confirm({ ...question, confirmLabel: "Change the role", action: () => onChange(role) });
  }

  return (
    <Select
      size="xs"
      aria-label={`Role of ${member.email}`}
      allowDeselect={false}
      disabled={disabled}
      data={ROLES}
      value={member.role}
      onChange={(value) => value !== null && choose(value)}
      comboboxProps={{ width: 270, position: "bottom-start" }}
      renderOption={({ option, checked = false }) => (
        <span className={classes.option}>
          <span className={classes.label}>
            {option.label}
            {checked && <IconCheck size={15} aria-hidden />}
          </span>
          <span className={classes.description}>{ROLES.find(({ value }) => value === option.value)?.description}</span>
        </span>
      )}
    />
  );
}

/** The question before a change that the user cannot undo alone. */
function questionFor(role: Role, { email }: Member, isSelf: boolean): { title: string; body: string } | null {
  if (isSelf) {
    return {
      title: "Change your own role?",
      body: "You may lose access to this page. Then only another owner can give it back to you.",
    };
  }
  if (role === "owner") {
    return {
      title: `Make ${email} an owner?`,
      body: "Owners can do everything, including changing your own role.",
    };
  }
  return null;
}
