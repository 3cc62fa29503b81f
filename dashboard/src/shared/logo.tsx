import type { ReactNode } from "react";

/** A lectern; decorative, as the name is next to it. `size`: pixels. */
export function Logo({ size = 26 }: { size?: number }): ReactNode {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden>
      <rect width="32" height="32" rx="7" fill="#1f6f5c" />
      <path d="M8.2 6.6 22.6 4.2l2.9 8.5L10 15.6Z" fill="#b9dfd1" />
      <path d="m4.8 15.3 21.9-4.2.8 3.4-21.9 4.2Z" fill="#fff" />
      <path d="m13.4 18.6 5.6-1.1.9 7.1h-7.4Z" fill="#fff" />
      <rect x="8" y="24.2" width="16" height="3.4" rx="1.7" fill="#fff" />
    </svg>
  );
}
