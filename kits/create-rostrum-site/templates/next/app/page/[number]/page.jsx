import { notFound, permanentRedirect } from "next/navigation";
import { FrontPage } from "../../../components/front-page";

export const generateStaticParams = () => [];

export async function generateMetadata({ params }) {
  const { number } = await params;
  return { title: `Page ${number}`, alternates: { canonical: `/page/${number}` } };
}

export default async function Page({ params }) {
  const { number } = await params;
  if (!/^[1-9]\d{0,5}$/.test(number)) notFound();
  if (number === "1") permanentRedirect("/");
  return <FrontPage number={Number(number)} />;
}
