/** Ways in which articles come in, ready to run. */

interface Values {
  baseUrl: string;
  websiteId: string;
  /** The access token itself if it was just created, else a placeholder. */
  token: string;
}

interface Way {
  name: string;
  /** What it is for, in a sentence. */
  about: string;
  /** Shown above the code: where it belongs. */
  title: string;
  code: (values: Values) => string;
}

export const WAYS: readonly Way[] = [
  {
    name: "Import",
    about: "For files on the service's own machine: Markdown, or an export of WordPress, Ghost or Medium.",
    title: "In a terminal on that machine, in the service's folder",
    code: ({ websiteId }) => `mkdir -p posts
printf '# An imported article\\n\\nWritten in Markdown.\\n' > posts/imported.md
npx rostrum import posts --website ${websiteId}`,
  },
  {
    name: "API",
    about: "For a generator or a script. Repeating a request changes nothing; a new text updates the article.",
    title: "In a terminal",
    code: ({ baseUrl, token }) => `curl -X PUT '${baseUrl}/api/management/articles/by-external-id/first' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"title": "An article by a script", "markdown": "Written by a program."}'`,
  },
  {
    name: "Repository",
    about: "For Markdown files in Git. Run it after each commit, by hand or in CI; only changes are sent.",
    title: "In the repository",
    code: ({ baseUrl, token }) => `mkdir -p posts
printf '# An article from Git\\n\\nWritten in Markdown.\\n' > posts/pushed.md
printf '%s' '${token}' |
  npx rostrum push posts --url '${baseUrl}' --token-file -`,
  },
  {
    name: "Agent",
    about: "Claude Code, Cursor and others write and edit drafts over MCP. They cannot publish.",
    title: ".mcp.json (Claude Code) or .cursor/mcp.json (Cursor)",
    code: ({ baseUrl, token }) => `{
  "mcpServers": {
    "rostrum": {
      "type": "http",
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer ${token}" }
    }
  }
}`,
  },
];
