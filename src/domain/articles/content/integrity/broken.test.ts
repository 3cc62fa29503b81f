import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findDamagedCharacters,
  findDanglingNotes,
  findInvisibleCharacters,
  findLinksToNowhere,
  findMissingPictures,
  findRawMarkup,
  findTemplateCode,
  findWrappedArticle,
} from "./broken.ts";
import { foundBy } from "./integrity-test-helpers.ts";

test("markup that readers see is found, and not in code", () => {
  const shown = ["**bold**", "[text](https://a.example/b)", "&lt;strong>", String.raw`\n\n`, "## A heading"];
  for (const markup of shown) {
    assert.match(foundBy(findRawMarkup, "", { html: `<p>${markup}</p>` }).join(), /^raw_markup block/, markup);
  }
  assert.deepEqual(
    foundBy(findRawMarkup, "`**bold**` is **bold**, 2 ** 3 is 8, C# is a language.\n\n```\n# x\n```"),
    [],
  );
});

test("code of other systems is found", () => {
  const codes = ['[gallery ids="12,13"]', "{% include a.html %}", "{{ customer.name }}", "[/vc_row]", "%%title%%"];
  for (const code of codes) {
    assert.deepEqual(foundBy(findTemplateCode, `A ${code} here.`), [`template_code block: ${code}`], code);
  }
  assert.deepEqual(foundBy(findTemplateCode, "Use `{{ page.title }}` or a [button](https://a.example)."), []);
});

test("damaged and escaped characters are found from the first to the last, in fields, too", () => {
  assert.deepEqual(foundBy(findDamagedCharacters, "GerÃ¤t und WeiÃŸ."), ["mojibake block: Ã¤t und WeiÃŸ"]);
  assert.deepEqual(foundBy(findDamagedCharacters, "Tea.", { title: "Tea &amp; milk" }), [
    "escaped_characters block: &amp;",
  ]);
  assert.deepEqual(foundBy(findDamagedCharacters, "São Paulo, Ärger, Ð, château, R&D; `&nbsp;`"), []);
});

test("invisible characters are found where the script needs none", () => {
  assert.match(foundBy(findInvisibleCharacters, "Hard\u200Bwater").join(), /^invisible_characters warn/);
  assert.match(foundBy(findInvisibleCharacters, "Tea\u{E0041}\u{E0042}").join(), /^invisible_characters block/);
  assert.deepEqual(foundBy(findInvisibleCharacters, "ภาษา\u200Bไทย 🏴\u{E0067}\u{E0062}\u{E007F}"), []);
});

test("an article inside code or JSON is found", () => {
  const words = "Hard water leaves a crust on the kettle. ".repeat(8);
  assert.match(foundBy(findWrappedArticle, `\`\`\`\n# Kettles\n\n${words}\n\`\`\``).join(), /^fenced_article block/);
  assert.match(
    foundBy(findWrappedArticle, `{"title": "Kettles", "content": "${words}"}`).join(),
    /^json_wrapper block/,
  );
  assert.match(
    foundBy(findWrappedArticle, `\`\`\`json\n{"title": "K", "x": "${words}"}\n\`\`\``).join(),
    /^json_wrapper/,
  );
  assert.deepEqual(foundBy(findWrappedArticle, `${words}\n\n\`\`\`md\n# Kettles\n\n${words}\n\`\`\``), []);
});

test("links and pictures to nowhere are found at their text", () => {
  const links = ["#", "https://www.yourwebsite.com/a", "your-link", "url"];
  for (const href of links) {
    assert.deepEqual(
      foundBy(findLinksToNowhere, `See [our guide](${href}).`),
      ["placeholder_link block: our guide"],
      href,
    );
  }
  for (const href of ["https://example.com/a", "http://localhost:3000"]) {
    assert.deepEqual(foundBy(findLinksToNowhere, `See [our guide](${href}).`), ["placeholder_link warn: our guide"]);
  }
  assert.deepEqual(foundBy(findLinksToNowhere, "[a](#part) [b](/guide) [c](https://a.example)"), []);
  assert.match(
    foundBy(findMissingPictures, "![A](https://via.placeholder.com/600)").join(),
    /^placeholder_image block/,
  );
  assert.deepEqual(foundBy(findMissingPictures, "![A](/files/image-2024-kettle.jpg)"), []);
  const uploaded = `http://localhost:8080/assets/01a22693-a53a-75e5-84e5-9fe888bacfa6/${"0a".repeat(32)}/image.png`;
  assert.deepEqual(foundBy(findMissingPictures, `![A](${uploaded})`), [], "a trial on one's own machine");
  assert.notDeepEqual(foundBy(findMissingPictures, "![A](http://localhost:8080/image.png)"), []);
});

test("notes and numbers of sources without a text are found", () => {
  assert.deepEqual(foundBy(findDanglingNotes, "It is chalk.[^1]"), ["dangling_citation warn: [^1]"]);
  assert.deepEqual(foundBy(findDanglingNotes, "It is chalk.[^1]\n\n[^1]: A book."), []);
  assert.equal(foundBy(findDanglingNotes, "It is chalk [1]. Acid dissolves it [2].").length, 2);
  assert.deepEqual(foundBy(findDanglingNotes, "It is chalk [1]. Acid helps [2].\n\n## References\n\n[1] A book."), []);
});
