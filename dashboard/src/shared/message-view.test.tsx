import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { MessageView } from "./message-view.tsx";

test("a message is formatted at first, and shown as it was sent on request", async () => {
  const payload = '{"event":"article.published","data":{"title":"<b>Tea</b>"}}';
  const screen = await show(<MessageView payload={payload} title="Message" label="the message" />);
  const message = screen.getByRole("region", { name: "the message" });
  await expect.poll(() => message.element().textContent).toBe(JSON.stringify(JSON.parse(payload), null, 2));
  await screen.getByText("As sent").click();
  await expect.poll(() => message.element().textContent).toBe(payload);
});

test("a message that is no JSON is shown as it is", async () => {
  const screen = await show(<MessageView payload="{broken" title="Message" label="the message" />);
  await expect.poll(() => screen.getByRole("region").element().textContent).toBe("{broken");
});
