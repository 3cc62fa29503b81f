/** One icon a file: the package's index would make the build read six thousand. The build fails when there is no such icon. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ReactNode, SVGProps } from "react";

  interface IconProps extends Omit<SVGProps<SVGSVGElement>, "stroke"> {
    /** Pixels; 24. */
    size?: number | string | undefined;
    /** Width of the lines; 2. */
    stroke?: number | string | undefined;
  }
  export default function Icon(props: IconProps): ReactNode;
}
