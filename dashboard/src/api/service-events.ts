/** Window events by which requests report the service's state to the shell, and the shell to everything else. */

/** A request got no response, or a proxy's error because the service is away. */
export const SERVICE_SILENT = "rostrum:silent";
/** The service was away and responds again, or the user has signed in again: what failed can be sent. */
export const SERVICE_BACK = "rostrum:back";
/** A request was refused because nobody is signed in. Cancelled: the shell asks to sign in again, and then says `SERVICE_BACK`. */
export const SIGNED_OUT = "rostrum:signed-out";
/** The user was asked to sign in again, and leaves the page instead. */
export const LEFT = "rostrum:left";
