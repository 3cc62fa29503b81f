// bin/executable.js loads programs by this module: code that is inside of an executable can import only Node's own modules.
export const load = (url) => import(url);
