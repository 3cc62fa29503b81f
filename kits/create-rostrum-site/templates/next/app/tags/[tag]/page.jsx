import { tagMetadata, TagPage } from "../../../components/tag-page";

export const generateStaticParams = () => [];
export const generateMetadata = tagMetadata;
export default TagPage;
