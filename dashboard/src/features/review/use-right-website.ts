import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { ReviewedArticle } from "../../../../src/http/admin/contract/review.ts";
import { useWebsite } from "../../shared/session.tsx";

/** Makes the article's website the current one: a link may lead to an article of another website. */
export function useRightWebsite(reviewed: ReviewedArticle | undefined): void {
  const website = useWebsite();
  const navigate = useNavigate();
  const right = reviewed?.website_id;
  useEffect(() => {
    if (right === undefined || right === website.id) return;
    void navigate({ to: ".", search: (search) => ({ ...search, website: right }), replace: true });
  }, [right, website.id, navigate]);
}
