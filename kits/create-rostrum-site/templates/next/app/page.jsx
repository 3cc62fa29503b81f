import { FrontPage } from "../components/front-page";

export const metadata = { alternates: { canonical: "/", types: { "application/atom+xml": "/feed.xml" } } };

export default function Page() {
  return <FrontPage />;
}
