import { Paper, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
import classes from "../visual/visual-editor.module.css";
import type { ShownOffer } from "./offers.ts";

/** Beside the caret: what else can become of what was pasted. No menu, so that the page's shortcuts go on working. */
export function OfferMenu({ offer, onChoose }: { offer: ShownOffer; onChoose: (option: number) => void }): ReactNode {
  return (
    <Paper
      className={classes.slash}
      shadow="md"
      withBorder
      role="group"
      aria-label={offer.label}
      style={{ left: offer.left, top: offer.top }}
    >
      {offer.options.map((option, index) => (
        <UnstyledButton
          key={option}
          tabIndex={-1}
          data-active={index === offer.active || undefined}
          className={classes.option ?? ""}
          display="block"
          w="100%"
          // Keeps the caret where it is.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(index);
          }}
        >
          {option}
          {index === 0 && offer.active === null && (
            <>
              {" "}
              <KeyHint keys="Tab" />
            </>
          )}
        </UnstyledButton>
      ))}
    </Paper>
  );
}
