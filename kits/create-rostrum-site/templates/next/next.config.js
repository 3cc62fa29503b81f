/** Pictures come from the service and from wherever articles have them, so they are used as they are. */
export default { poweredByHeader: false };
