import { expect, test } from "vitest";
import { show } from "../../test/render.tsx";
import { ApiError } from "../api/client.ts";
import { ErrorNote, fieldErrors } from "./error-note.tsx";

const error = new ApiError(400, "That is not an e-mail address.", { param: "email" });

test("the service's sentence is shown, for the form to put at its field", async () => {
  const screen = await show(<ErrorNote error={error} fields={["name"]} />);
  await expect.element(screen.getByRole("alert")).toHaveTextContent("That is not an e-mail address.");
  expect(fieldErrors(error)).toEqual({ email: "That is not an e-mail address." });
});

test("an error at a field does not show the field's name in the API", () => {
  const long = new ApiError(400, "meta_title must not be longer than 300 characters.", { param: "meta_title" });
  expect(fieldErrors(long)).toEqual({ meta_title: "This must not be longer than 300 characters." });
});

test("an error that a field shows already is not repeated, and nothing is shown without one", async () => {
  const screen = await show(
    <>
      <ErrorNote error={error} fields={["email"]} />
      <ErrorNote error={null} />
    </>,
  );
  await expect.element(screen.getByRole("alert")).not.toBeInTheDocument();
});

test("a bug's details are not shown", async () => {
  const screen = await show(<ErrorNote error={new TypeError("x is undefined")} />);
  await expect
    .element(screen.getByRole("alert"))
    .toHaveTextContent(
      "Something went wrong on this page. Reload it; if it happens again, tell the administrator of this service.",
    );
  expect(fieldErrors(new TypeError("x"))).toEqual({});
});
