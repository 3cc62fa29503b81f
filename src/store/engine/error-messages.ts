export const HOLDS_NUL = "A text holds a NUL character: remove it.";
export const IS_TAKEN = "This conflicts with another change. Reload and try again.";
