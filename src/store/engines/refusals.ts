/** What both engines refuse in the same words. */

export const HOLDS_NUL = "A text holds a NUL character: remove it.";
export const IS_TAKEN = "Somebody else saved the same meanwhile: look at it again and repeat.";
