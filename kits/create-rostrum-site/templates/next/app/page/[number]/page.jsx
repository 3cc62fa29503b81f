import { FrontPage } from "../../../components/front-page";

export const generateStaticParams = () => [];

export async function generateMetadata({ params }) {
  const { number } = await params;
  return { title: `Page ${number}`, alternates: { canonical: `/page/${number}` } };
}

export default async function Page({ params }) {
  return <FrontPage number={(await params).number} />;
}
