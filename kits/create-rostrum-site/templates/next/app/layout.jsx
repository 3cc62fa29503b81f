import Link from "next/link";
import { SiteLinks } from "../components/site-links";
import { ThemeButton } from "../components/theme-button";
import { site } from "../lib/site";
import "./styles.css";

export const metadata = {
  metadataBase: new URL(site.url),
  title: { default: site.title, template: `%s – ${site.title}` },
  description: site.description,
  openGraph: { siteName: site.title },
  alternates: { types: { "application/atom+xml": "/feed.xml" } },
};

const CHOSEN_THEME = `const theme = localStorage.getItem("theme"); if (theme !== null) document.documentElement.dataset.theme = theme;`;

export default function Layout({ children }) {
  return (
    <html lang={site.language} suppressHydrationWarning>
      <body>
        <script dangerouslySetInnerHTML={{ __html: CHOSEN_THEME }} />
        <a className="skip" href="#content">
          Skip to the content
        </a>
        <header className="site-header">
          <Link className="site-title" href="/">
            {site.title}
          </Link>
          <SiteLinks />
          <ThemeButton />
        </header>
        <main id="content">{children}</main>
        <footer className="site-footer">
          <p>
            {site.title} · <a href="/feed.xml">Feed</a>
          </p>
        </footer>
      </body>
    </html>
  );
}
