/** Mantine's links and buttons as internal links, with the router's types for `to`, `params` and `search`. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import IconArrowLeft from "@tabler/icons-react/dist/esm/icons/IconArrowLeft.mjs";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode, Ref } from "react";

type Rest<Own> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Own> & { ref?: Ref<HTMLAnchorElement> };

function AnchorBase(props: AnchorProps & Rest<AnchorProps>): ReactNode {
  // Inside a sentence colour alone does not distinguish a link.
  return <Anchor underline={props.inherit === true ? "always" : "hover"} {...props} />;
}

function ButtonBase(props: ButtonProps & Rest<ButtonProps>): ReactNode {
  return <Button component="a" {...props} />;
}

function BackBase({ children, ...props }: AnchorProps & Rest<AnchorProps>): ReactNode {
  return (
    <Anchor size="sm" c="dimmed" display="inline-flex" w="fit-content" {...props}>
      <span style={{ display: "inline-flex", alignItems: "center", gap: 4 }}>
        <IconArrowLeft size={15} aria-hidden />
        {children}
      </span>
    </Anchor>
  );
}

export const TextLink = createLink(AnchorBase);
export const ButtonLink = createLink(ButtonBase);
/** Shown above a heading: `<BackLink to="/settings/webhooks">Webhooks</BackLink>`. */
export const BackLink = createLink(BackBase);
