/** Window events by which requests report the service's state to the shell, and the shell to everything else. */

/** A request got no response, or a proxy's error because the service is away. */
export const SERVICE_SILENT = "rostrum:silent";
/** The service was away and responds again. */
export const SERVICE_BACK = "rostrum:back";
