import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Logo } from "../shared/logo.tsx";
import classes from "./mark.module.css";

/** The product name, linked to the home page. */
export function Mark(): ReactNode {
  return (
    <Link to="/" className={classes.root} aria-label="Rostrum: to the overview">
      <Logo />
      Rostrum
    </Link>
  );
}
