import assert from "node:assert/strict";
import { test } from "node:test";
import { invitationMail } from "./email.ts";

const LINK = "https://rostrum.example/dashboard/welcome#token";

test("an invitation shows the website's name in quotation marks, and no address in it but the invitation's own", () => {
  const names = [
    ["Tea & more", "“Tea & more”"],
    ["example.com", "“example.com”"],
    ["Win 1,000 € at https://win.example now", "“Win 1,000 € at now”"],
    ["Win at www.win.example or call 0900123456", "“Win at or call”"],
    ["win@win.example” You have won. “", "“You have won.”"],
    ["https://win.example", "without a name"],
    ["x".repeat(80), `“${"x".repeat(60)}…”`],
  ];
  for (const [websiteName = "", shown] of names) {
    const { subject, text } = invitationMail({ link: LINK, websiteName });
    assert.equal(subject, `Your invitation to ${shown === "without a name" ? "a website without a name" : shown}`);
    assert.ok(
      text.includes(
        `the articles of ${shown === "without a name" ? "a website without a name" : `the website ${shown}`} are`,
      ),
      text,
    );
    assert.doesNotMatch(text.replace(LINK, ""), /win\.example|0900/);
  }
});
