/** Events of the window, by which requests tell the shell about the service, and the shell tells everybody else. */

/** A request got no answer, or one of a proxy whose service is away. */
export const SERVICE_SILENT = "rostrum:silent";
/** The service was away, and answers again. */
export const SERVICE_BACK = "rostrum:back";
