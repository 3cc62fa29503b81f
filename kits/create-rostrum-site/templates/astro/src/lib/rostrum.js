import "./site.js";

const { ROSTRUM_URL: url = "", ROSTRUM_API_KEY: key = "" } = process.env;
if (url === "" || key === "") {
  throw new Error(
    "Put the address of your Rostrum service and an API key of scope published into .env: ROSTRUM_URL=… and ROSTRUM_API_KEY=rs_…",
  );
}

export const connection = { url, key };
