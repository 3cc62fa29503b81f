/** One icon per file: importing the package's index makes the build read six thousand files. A missing icon fails the build. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ReactNode, SVGProps } from "react";

  interface IconProps extends Omit<SVGProps<SVGSVGElement>, "stroke"> {
    /** Pixels; default 24. */
    size?: number | string | undefined;
    /** Stroke width; default 2. */
    stroke?: number | string | undefined;
  }
  export default function Icon(props: IconProps): ReactNode;
}
