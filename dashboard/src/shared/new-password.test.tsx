import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password.tsx";

test("a password is as long as its characters, not as its bytes", () => {
  expect(newPasswordProblem("🍵🍵🍵🍵🍵🍵🍵🍵🍵🍵")).toBe(null);
  expect(newPasswordProblem("🍵🍵🍵🍵🍵🍵🍵🍵🍵")).toBe("It has 9 of at least 10 characters.");
  expect(newPasswordProblem("")).toBe("Choose a password.");
});

test("screen readers read the rules and the error with the field", async () => {
  const screen = await show(<NewPasswordInput label="Password" error="Too short." />);
  const field = screen.getByLabelText("Password", { exact: true });
  await expect.element(field).toHaveAttribute("aria-invalid", "true");
  await expect
    .element(field)
    .toHaveAccessibleDescription("Too short. At least 10 characters. A few words in a row are safe and easy to type.");
});
